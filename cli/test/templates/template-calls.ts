// What is called in a project of each template, and what shows that it runs.
import { expect } from 'vitest'
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
}
