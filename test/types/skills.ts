// What the compiler says about skills: what a server may register, and what a client gets.
import { Client, MCPServer } from 'mcpwire'
import {
  type FoundSkill,
  type LoadedSkill,
  type SkillFile,
  SkillMismatchError,
  skills,
} from 'mcpwire/extensions/skills'
import { skillFolder, skillFolders } from 'mcpwire/node'
import { holds, type Same } from './assert.ts'

// One value serves servers and clients.
const server = new MCPServer('skilled', { extensions: [skills({ directoryRead: true, cache: { ttlMs: 1 } })] })
const client = new Client(server, { extensions: [skills({ label: 'team' })] })
// @ts-expect-error: no such option
skills({ directory: true })

// Sources: a folder, files, or a name with functions.
server.skill(skillFolder('skills/x', { watch: true }), { path: 'a/x', listed: false, scopes: ['read'] })
for (const folder of skillFolders('skills')) server.skill(folder)
server.skill({ 'SKILL.md': 'text', 'data.bin': new Uint8Array() }, { visible: (ctx) => ctx.auth !== undefined })
server.skill('daily', { description: 'Today', body: async (ctx) => ctx.protocolVersion, files: { 'a.md': () => 'a' } })
// @ts-expect-error: files are text or bytes
server.skill({ 'SKILL.md': { text: 'x' } })
// @ts-expect-error: a name alone has no body
server.skill('daily')
// @ts-expect-error: a name needs a description
server.skill('daily', { body: () => 'x' })
// @ts-expect-error: the body is text
server.skill('daily', { description: 'Today', body: () => 7 })
// @ts-expect-error: watch belongs to the folder
server.skill(skillFolder('x'), { watch: true })

const handle = server.skill({ 'SKILL.md': 'text' })
handle.update({ listed: false, source: { 'SKILL.md': 'other' } })
// @ts-expect-error: the path stays
handle.update({ path: 'b/x' })
// @ts-expect-error: the URI stays
handle.uri = 'skill://b/SKILL.md'

// The lifespan of the server has its type in the functions of a skill.
const alive = new MCPServer('alive', { extensions: [skills()], lifespan: () => ({ word: 'hello' }) })
alive.skill('greeting', { description: 'Greets', body: (ctx) => ctx.lifespan.word })
// @ts-expect-error: no such member
alive.skill('greeting', { description: 'Greets', body: (ctx) => ctx.lifespan.words })

// What a client gets can't be changed, and fields of the front matter are unknown data.
declare const found: FoundSkill
declare const loaded: LoadedSkill
holds<Same<typeof found.fingerprint, string | undefined>>()
holds<Same<typeof found.frontmatter.name, string>>()
holds<Same<Awaited<ReturnType<typeof loaded.read>>, SkillFile>>()
holds<Same<SkillFile['text'], string | undefined>>()
// @ts-expect-error: where it is from does not change
found.origin = { server: 'x', uri: 'y' }
void client.skills.load(found)
void client.skills.load('skill://x/SKILL.md', { timeoutMs: 10 })
// @ts-expect-error: a URI or an entry
void client.skills.load({ uri: 'skill://x/SKILL.md' })
holds<Same<SkillMismatchError['current'], FoundSkill | undefined>>()
void SkillMismatchError
