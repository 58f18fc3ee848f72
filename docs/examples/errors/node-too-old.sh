mcpwire conformance server.js
