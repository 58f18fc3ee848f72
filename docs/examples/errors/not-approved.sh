echo '{ "mcpServers": { "demo": { "command": "node", "args": ["server.js"] } } }' > .mcp.json
mcpwire list @demo
