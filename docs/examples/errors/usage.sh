mcpwire list --no-such-option
