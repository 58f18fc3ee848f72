mcpwire list missing.ts
