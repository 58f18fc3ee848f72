// Run by a browser: the client in both eras against the server that the page came from, which then hears what it saw.
import { Client } from 'mcpwire/client'
import { ANSWERS, MODES, talk, talkAboutTasks } from './talk.ts'

const seen: Record<string, unknown> = {}
try {
  for (const [era, mode] of Object.entries(MODES)) {
    const client = await Client.connect(new URL('/mcp', location.href), { mode, ...ANSWERS })
    seen[era] = await talkAboutTasks(client, await talk(client))
    await client.close()
  }
} catch (error) {
  seen['error'] = String(error)
}
await fetch('/seen', { method: 'POST', body: JSON.stringify(seen) })
