// A host: starts three servers, puts their tools into one list, and calls tools by the name of the server.
// npx tsx examples/host.ts
import { fileURLToPath } from 'node:url'
import { ClientSessionGroup } from 'mcpwire/client'

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const group = new ClientSessionGroup({ componentName: (name, { label }) => `${label}_${name}` })

for (const name of ['calculator', 'weather', 'notes']) {
  const args = ['--import', 'tsx', path(`${name}.ts`)]
  await group.connectToServer({ command: process.execPath, args, cwd: path('..') }, { name })
}

console.log('Tools:', [...group.tools.keys()].join(', '))
const sum = await group.callTool('calculator_add', { a: 2, b: 40 })
console.log('calculator_add:', sum.content)
const note = await group.callTool('notes_add_note', { title: 'sum', text: 'It is 42.' })
console.log('notes_add_note:', note.content)
await group.close()
