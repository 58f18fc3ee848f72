// What is called in a project of each template, and what shows that it runs.
import { join } from 'node:path'
import { expect } from 'vitest'
import { walkLogin } from '../../../src/auth-dev/walk-login.ts'
import { findRuntime } from '../../../test/runtimes/installed.ts'
import { startWorkerd } from '../../../test/runtimes/workerd.ts'
import { freePort } from '../../../test/support/free-port.ts'
import type { TemplateProject } from './template-project.ts'

export interface TemplateCalls {
  /** A tool with its arguments, and what the result contains. */
  readonly call: { readonly words: readonly string[]; readonly prints: string }
  /** The file with the server. */
  readonly server: string
  /** Runs `npm start` and uses what it starts. */
  start(project: TemplateProject): Promise<void>
}

const SERVER = 'src/server.ts'

export const TEMPLATE_CALLS: Readonly<Partial<Record<string, TemplateCalls>>> = {
  minimal: {
    call: { words: ['add', 'a=1', 'b=2'], prints: '3' },
    server: SERVER,
    start: async (project) => {
      const { code, stdout } = await project.mcpwire('call', 'add', 'a=1', 'b=2', '--', 'npm', 'start', '--silent')
      expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: '3' })
    },
  },
  http: {
    call: { words: ['temperature', 'city=Rome'], prints: '17' },
    server: SERVER,
    start: async (project) => {
      const started = await project.startScript(['start'], '/mcp', { PORT: '0' })
      const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(started.printed) ?? []
      const health = await fetch(new URL('/health', url))
      const { stdout } = await project.mcpwire('call', url, 'temperature', 'city=Oslo')
      await started.stop()
      expect(health.status).toBe(200)
      expect(stdout).toContain('-4')
    },
  },
  auth: {
    // Without a login, as in npm run dev.
    call: { words: ['read'], prints: 'There are no notes.' },
    server: SERVER,
    start: async (project) => {
      const [issuerPort, port] = [await freePort(), await freePort()].map(String) as [string, string]
      const issuer = `http://127.0.0.1:${issuerPort}`
      const authorization = await project.startScript(['run', 'authorization'], issuer, {
        AUTHORIZATION_PORT: issuerPort,
      })
      const started = await project.startScript(['start'], '/mcp', { PORT: port, ISSUER: issuer })
      const url = `http://127.0.0.1:${port}/mcp`
      const refused = await project.mcpwire('call', url, 'read', '--no-login')
      const login = await project.startMcpwire(['login', url, '--no-open', '--scope', 'notes:read'], '/auth?')
      const [page = ''] = /http:\S+\/auth\?\S+/.exec(login.printed) ?? []
      await fetch(await walkLogin(page, issuer, 'ada'))
      await login.ended
      const called = await project.mcpwire('call', url, 'read')
      await started.stop()
      await authorization.stop()
      expect(refused.code).toBe(4)
      expect({ code: called.code, stdout: called.stdout.trim() }).toEqual({ code: 0, stdout: 'There are no notes.' })
    },
  },
  client: {
    call: { words: ['define', 'word=client'], prints: 'A program that uses servers.' },
    server: 'demo/server.ts',
    start: async (project) => {
      const { code, stdout } = await project.npm('start', '--silent')
      expect(code).toBe(0)
      expect(stdout).toContain('tool define: Say what a word means')
      expect(stdout).toContain('client: A program that uses servers.')
    },
  },
  host: {
    call: { words: ['free_days'], prints: 'Monday, Friday' },
    server: 'servers/booking.ts',
    start: async (project) => {
      const { code, stdout } = await project.npm('start', '--silent')
      expect(code).toBe(0)
      expect(stdout).toContain('clock_now: The present time')
      // Nobody is there to answer.
      expect(stdout).toContain('> Nothing was booked.')
      const other = await project.npm('start', '--silent', '--', 'booking_free_days', '{}')
      expect(other.stdout).toContain('> Monday, Friday')
    },
  },
  app: {
    call: { words: ['roll', 'sides=2'], prints: '"rolled"' },
    server: SERVER,
    start: async (project) => {
      const { code, stdout } = await project.mcpwire('call', 'roll', 'sides=2', '--', 'npm', 'start', '--silent')
      expect(code).toBe(0)
      expect(stdout).toMatch(/"rolled": *[12]/)
    },
  },
  worker: {
    call: { words: ['hash', 'text=abc'], prints: 'ba7816bf8f01cfea' },
    server: SERVER,
    start: async (project) => {
      const started = await project.startScript(['start', '--', '--port', '0'], '/mcp')
      const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(started.printed) ?? []
      const { stdout } = await project.mcpwire('call', url, 'hash', 'text=abc')
      await started.stop()
      expect(stdout).toContain('ba7816bf8f01cfea')
      await callOnWorkerd(project)
    },
  },
}

/** As the platform runs it: bundled, without anything of Node. */
async function callOnWorkerd(project: TemplateProject): Promise<void> {
  const program = findRuntime('workerd')
  if (program === undefined) return console.warn('workerd is not here: the template worker was called on Node alone')
  const workerd = await startWorkerd(program, join(project.folder, 'src/worker.ts'), join(project.folder, '.workerd'))
  try {
    const { code, stdout } = await project.mcpwire('call', workerd.url, 'hash', 'text=abc')
    expect(code).toBe(0)
    expect(stdout).toContain('ba7816bf8f01cfea')
  } finally {
    await workerd.stop()
  }
}
