"""What runs on a host: fetch, verify, admit, plan, execute, gate, record, report. Only `execute` touches the host."""
