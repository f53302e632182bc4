"""Pure arithmetic of memory: GPU budget, KV pool, host pools, host RAM. Integers of bytes; nothing here does I/O."""
