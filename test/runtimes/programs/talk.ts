// What a client does with that server, and what it saw.
import type { Client, ClientOptions } from 'mcpwire'
import { apps, policyOf, readView } from 'mcpwire/extensions/apps'
import { skills } from 'mcpwire/extensions/skills'
import { tasks } from 'mcpwire/extensions/tasks'

export const SEEN = {
  tools: ['add', 'greet', 'report'],
  sum: [{ type: 'text', text: '3' }],
  progress: 1,
  isRefused: true,
  greeting: [{ type: 'text', text: 'Hello, Ada' }],
  resource: 'plain 漢字 🙂',
  prompt: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }],
  view: ['<!doctype html><p>漢字 🙂', 'connect-src https://api.example.com'],
  skill: ['Be kind.', 'Hello. 漢字 🙂'],
}

export const SEEN_WITH_TASKS = { ...SEEN, task: [true, [{ type: 'text', text: '12 pages for Ada' }]] }

export const ANSWERS: ClientOptions = {
  extensions: [skills(), apps(), tasks()],
  onElicitation: () => ({ action: 'accept', content: { name: 'Ada' } }),
}

/** The modes of a client that make it speak one era and no other. */
export const MODES = { legacy: 'legacy', modern: '2026-07-28' } as const

/** Leaves the client open. `seen` has what was seen before. */
export async function talkAboutTasks(client: Client, seen: object): Promise<unknown> {
  const job = await client.tasks.start('report')
  const report = await job.result()
  return { ...seen, task: [job.taskId !== undefined, report.content] }
}

/** Everything but tasks. Leaves the client open. */
export async function talk(client: Client): Promise<object> {
  const { tools } = await client.listTools()
  const { html, csp } = await readView(client, tools[0] ?? {})
  let progress = 0
  const onProgress = () => {
    progress += 1
  }
  const sum = await client.callTool('add', { a: 1, b: 2 }, { onProgress })
  const refused = await client.callTool('add', { a: 'one', b: 2 })
  const greeting = await client.callTool('greet', {})
  const [note] = (await client.readResource('note://plain')).contents
  const { messages } = await client.getPrompt('hello')
  const skill = await client.skills.load('skill://greeting/SKILL.md')
  const words = await skill.read('references/words.md')
  return {
    tools: tools.map(({ name }) => name),
    view: [
      html,
      policyOf(csp)
        .split('; ')
        .find((directive) => directive.startsWith('connect-src')),
    ],
    sum: sum.content,
    progress,
    isRefused: refused.isError,
    greeting: greeting.content,
    resource: note !== undefined && 'text' in note ? note.text : undefined,
    prompt: messages,
    skill: [skill.body, words.text],
  }
}
