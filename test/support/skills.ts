// Connections for tests of skills, texts of skills, and a server that says about its skills whatever a test wants.
import { createHash } from 'node:crypto'
import { Client, type ClientOptions, type MCPServer } from 'mcpwire'
import { type SkillEntry, type SkillsOptions, skills } from 'mcpwire/extensions/skills'
import { serveHttp } from 'mcpwire/node'
import { Server } from 'mcpwire/server'
import { ErrorCode, MCPError } from 'mcpwire/types'
import { onTestFinished } from 'vitest'

export const SKILLS = 'io.modelcontextprotocol/skills'

export interface SkillSetting {
  readonly title: string
  readonly isModern: boolean
  connect(server: MCPServer | Server, options?: SkillsOptions, more?: ClientOptions): Promise<Client>
}

/** Both eras in one process and over HTTP, and the oldest revision. All of it is closed after the test. */
export const SETTINGS: readonly SkillSetting[] = [
  inProcess('in process, modern', 'modern'),
  inProcess('in process, legacy', 'legacy'),
  inProcess('in process, 2024-11-05', '2024-11-05'),
  // A client with a pinned revision connects without asking what the server declares.
  inProcess('in process, 2026-07-28', '2026-07-28'),
  overHttp('HTTP, modern', 'modern'),
  overHttp('HTTP, legacy', 'legacy'),
]

type Mode = NonNullable<ClientOptions['mode']>

function inProcess(title: string, mode: Mode): SkillSetting {
  return {
    title,
    isModern: mode === 'modern' || mode === '2026-07-28',
    connect: (server, ...rest) => open(server, mode, ...rest),
  }
}

function overHttp(title: string, mode: Mode): SkillSetting {
  return {
    title,
    isModern: mode === 'modern',
    connect: async (server, ...rest) => {
      const serving = await serveHttp(server, { port: 0 })
      onTestFinished(() => serving.close())
      return open(serving.url, mode, ...rest)
    },
  }
}

async function open(
  target: ConstructorParameters<typeof Client>[0],
  mode: Mode,
  options: SkillsOptions = {},
  more: ClientOptions = {},
): Promise<Client> {
  const client = await Client.connect(target, { mode, extensions: [skills(options)], ...more })
  onTestFinished(() => client.close())
  return client
}

/** The text of a `SKILL.md`. */
export function skillText(name: string, more = '', body = `# ${name}\n`): string {
  return `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n\n${body}`
}

export function digestOf(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`
}

/** An entry that describes these files. */
export function entryOf(name: string, files: Record<string, string>): SkillEntry {
  return {
    uri: `skill://${name}/SKILL.md`,
    frontmatter: { name, description: `About ${name}.` },
    resources: Object.entries(files).map(([path, text]) => ({
      uri: `skill://${name}/${path}`,
      digest: digestOf(text),
      size: Buffer.byteLength(text),
    })),
  }
}

export interface HostileServer {
  readonly server: Server
  /** The URIs that were read, in order. */
  readonly reads: string[]
  /** The methods of the extension that were called, in order. */
  readonly calls: string[]
  /** What it has, to be changed by the test. */
  entries: unknown[]
  files: Record<string, unknown>
  folders: Record<string, unknown[]>
  /** Sent with every page. */
  nextCursor?: string
}

/** Sends these entries and these contents, whether or not they belong together. */
export function hostileServer(
  entries: unknown[],
  files: Record<string, unknown> = {},
  settings: Record<string, unknown> = {},
): HostileServer {
  const state: Omit<HostileServer, 'server'> = { reads: [], calls: [], entries, files, folders: {} }
  const requireKnown = <T>(value: T | undefined): T => {
    if (value !== undefined) return value
    throw new MCPError(ErrorCode.InvalidParams, 'There is no such thing')
  }
  const handle = (answer: (params: Record<string, unknown>) => Record<string, unknown>) => ({
    isOpenToAll: true,
    handle: (ctx: { method: string }, params: Record<string, unknown>) => {
      state.calls.push(ctx.method)
      return answer(params)
    },
  })
  const server = new Server('hostile', {
    handlers: {
      'resources/list': () => ({ resources: [] }),
      'resources/read': (_ctx, { uri }) => {
        state.reads.push(uri)
        const found = requireKnown(state.files[uri])
        const contents = typeof found === 'string' ? [{ uri, text: found }] : found
        return { contents: contents as { uri: string; text: string }[] }
      },
    },
    extensions: [
      {
        identifier: SKILLS,
        settings,
        requests: {
          'skills/list': handle(() => ({
            skills: state.entries,
            ...(state.nextCursor !== undefined && { nextCursor: state.nextCursor }),
          })),
          'skills/get': handle(({ uri }) => ({
            skill: requireKnown(state.entries.find((entry) => (entry as SkillEntry).uri === uri)),
          })),
          'resources/directory/read': handle(({ uri }) => ({ resources: requireKnown(state.folders[String(uri)]) })),
        },
      },
    ],
  })
  return Object.assign(state, { server })
}
