import { Client } from 'mcpwire'
import { skills } from 'mcpwire/extensions/skills'

const client = await Client.connect('http://localhost:3000/mcp', {
  extensions: [skills({ label: 'billing' })],
})

for await (const { uri, frontmatter } of client.skills.all())
  console.log(uri, frontmatter.description)

const skill = await client.skills.load('skill://refunds/SKILL.md')
console.log(`Skill ${skill.name} of the server ${skill.origin.server}:`)
console.log(skill.body)

const email = await skill.read('templates/email.md')
console.log(email.text)

await client.close()
