// The scenarios of the skills extension. In three of them the server sends what its entry does not describe.
import { Client } from 'mcpwire'
import { skills } from 'mcpwire/extensions/skills'
import { options, url } from './environment.ts'
import type { Scenario } from './scenario.ts'

const SKILL = 'skill://pdf-processing/SKILL.md'

export const skillScenarios: Record<string, Scenario> = {
  async 'sep-2640-client-no-prefetch'() {
    await using client = await connect()
    for await (const { uri } of client.skills.all()) console.log(uri)
  },

  'sep-2640-client-verify-digest': loadAndRead,
  'sep-2640-client-verify-size': loadAndRead,
  'sep-2640-client-verify-frontmatter': loadAndRead,
}

function connect(): Promise<Client> {
  return Client.connect(url, { ...options, extensions: [skills()] })
}

/** The skill must not load, so that its files are never read. */
async function loadAndRead(): Promise<void> {
  await using client = await connect()
  for await (const skill of client.skills.all()) {
    if (skill.uri !== SKILL) continue
    const { read } = await client.skills.load(skill)
    await read('references/FORMS.md')
  }
}
