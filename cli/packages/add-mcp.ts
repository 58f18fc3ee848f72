// A package that is bundled. It is imported here alone, so that the build puts it into a file of its own and minifies it.
export { type AgentConfig, agents, type McpServerConfig } from 'add-mcp'
