// What the author of a server extension writes to give tools an option of its own, and what its users write then.
import { MCPServer, tool } from 'mcpwire'
import type {
  MCPServerExtension,
  MCPServerExtensionParts,
  ToolExtensionOptions,
  ToolFacts,
  ToolOptionEffect,
  ToolOptionReader,
  ToolOptions,
} from 'mcpwire/server'

interface Audit {
  level: 'all' | 'failures'
}

declare module 'mcpwire/server' {
  interface ToolExtensionOptions {
    audit?: Audit
  }
}

const readAudit: ToolOptionReader<Audit> = (value, tool: ToolFacts): ToolOptionEffect => ({
  listed: (listed, era) => ({
    ...listed,
    _meta: { ...listed._meta, 'com.example/audit': [value.level, tool.name, era] },
  }),
  around: async (_request, { name }, next) => {
    console.log(name)
    return next()
  },
})

const audit: MCPServerExtension = { identifier: 'com.example/audit', toolOptions: { audit: readAudit } }
const inferred: MCPServerExtensionParts = {
  toolOptions: {
    audit: (value) => {
      const level: 'all' | 'failures' = value.level
      console.log(level)
      return undefined
    },
  },
}

const server = new MCPServer('one', { extensions: [audit], tools: [tool('a', { audit: { level: 'all' } }, () => 'a')] })
const handle = server.tool('b', { audit: { level: 'failures' }, task: true, ui: 'ui://view' }, () => 'b')
handle.update({ audit: { level: 'all' } })
const options: ToolOptions = { audit: { level: 'all' } }
const owned: ToolExtensionOptions = options
console.log(inferred, owned)

// @ts-expect-error: the value has the type that the extension declared
server.tool('c', { audit: { level: 'some' } }, () => 'c')
// @ts-expect-error: an option that no extension declared
server.tool('d', { fee: 3 }, () => 'd')
// @ts-expect-error: an extension reads only options that are declared
const undeclared: MCPServerExtensionParts = { toolOptions: { fee: () => undefined } }
console.log(undeclared)
