// The client of report-server.ts. Stop it at any time and start it again: it finds its task, and goes on waiting for the report.
import { createInterface } from 'node:readline/promises'
import { Client } from 'mcpwire'
import { tasks } from 'mcpwire/extensions/tasks'
import { fileTaskReferences } from 'mcpwire/node'

const [url = 'http://127.0.0.1:3000/mcp', file = 'report-tasks.json'] = process.argv.slice(2)
const terminal = createInterface({ input: process.stdin, output: process.stdout })

await using client = await Client.connect(url, {
  // The reference of a task is in the file before the first poll, and is removed after the end.
  extensions: [tasks({ references: fileTaskReferences(file) })],
  onElicitation: async ({ message }) => {
    const answer = await terminal.question(`${message} (yes/no) `)
    return { action: 'accept', content: { drafts: answer.trim() === 'yes' } }
  },
})

const [pending] = await client.tasks.pending()
const job =
  pending === undefined ? await client.tasks.start('build_report', { quarter: 'Q3' }) : client.tasks.resume(pending)
console.log(pending === undefined ? 'Started the report.' : 'Found the report of the last time.')

const result = await job.result({ onStatus: ({ status, statusMessage }) => console.log(statusMessage ?? status) })
for (const block of result.content) if (block.type === 'text') console.log(block.text)
terminal.close()
