mcpwire conformance http://localhost:3000/mcp
