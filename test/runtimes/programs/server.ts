// A small server that touches schemas, questions, progress, resources, skills, views and tasks, for every runtime the same.
import { MCPServer } from 'mcpwire'
import { apps } from 'mcpwire/extensions/apps'
import { skills } from 'mcpwire/extensions/skills'
import { tasks } from 'mcpwire/extensions/tasks'

const ADD = {
  type: 'object',
  properties: { a: { type: 'integer' }, b: { type: 'integer' } },
  required: ['a', 'b'],
} as const
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

export function createServer(): MCPServer {
  const server = new MCPServer('everywhere', { version: '1.0.0', extensions: [skills(), apps(), tasks()] })
  const view = server.app('ui://sum/view', {
    html: '<!doctype html><p>漢字 🙂',
    csp: { connectDomains: ['https://api.example.com'] },
  })
  server.tool('add', { input: ADD, ui: view }, async ({ a, b }, ctx) => {
    await ctx.reportProgress(1, 1)
    return String(a + b)
  })
  server.tool('greet', {}, async (_args, ctx) => {
    const answer = await ctx.elicit('Your name?', NAME)
    return answer.action === 'accept' ? `Hello, ${answer.content.name}` : 'Hello'
  })
  server.tool('report', { task: { mode: 'required', pollIntervalMs: 100 } }, async (_args, ctx) => {
    const pages = await ctx.step('count', () => 12)
    const answer = await ctx.elicit('Your name?', NAME)
    return `${pages} pages for ${answer.action === 'accept' ? answer.content.name : 'nobody'}`
  })
  server.resource('note://plain', () => 'plain 漢字 🙂')
  server.skill({
    'SKILL.md': '---\nname: greeting\ndescription: How to greet.\n---\nBe kind.',
    'references/words.md': 'Hello. 漢字 🙂',
  })
  server.prompt('hello', {}, () => 'Say hello.')
  return server
}
