// A project that `mcpwire init` of the packed package has created and installed, as its user has it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandResult } from '../../../test/support/command-line.ts'
import { MAX_MS } from '../../../test/support/command-line.ts'
import { type LocalRegistry, startLocalRegistry } from './local-registry.ts'

export interface Workshop {
  readonly folder: string
  readonly registry: LocalRegistry
  /** Creates a project of the template and installs it. */
  create(template: string, ...options: string[]): Promise<TemplateProject>
  /** `npm create mcpwire` with these arguments. */
  npmCreate(...args: string[]): Promise<CommandResult>
  close(): Promise<void>
}

export interface TemplateProject {
  readonly folder: string
  /** What `init --json` printed. */
  readonly created: { name: string; files: string[]; installed: boolean }
  read(path: string): string
  /** A script of the project. */
  npm(...args: string[]): Promise<CommandResult>
  /** The command line that is installed in the project. */
  mcpwire(...args: string[]): Promise<CommandResult>
  /** Starts a script and resolves once it has printed the text on stderr. */
  startScript(args: readonly string[], text: string, env?: Record<string, string>): Promise<StartedScript>
  /** The same for the command line. */
  startMcpwire(args: readonly string[], text: string): Promise<StartedScript>
}

export interface StartedScript {
  readonly printed: string
  /** Resolves when it ends by itself. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

const isWindows = process.platform === 'win32'

export async function openWorkshop(packages: readonly string[] = ['.']): Promise<Workshop> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcpwire-templates-')))
  const registry = await startLocalRegistry(packages, folder)
  const env = environment(registry, folder)
  const home = join(folder, 'tool')
  mkdirSync(home)
  const installed = await execute('npm', ['install', '--prefix', home, registry.tarball('mcpwire')], home, env)
  if (installed.code !== 0) throw new Error(`The packed package cannot be installed: ${installed.stderr}`)
  const main = join(home, 'node_modules/mcpwire/dist/cli/mcpwire.js')
  return {
    folder,
    registry,
    create: async (template, ...options) => {
      const name = `${template}-project`
      const args = [main, 'init', name, '--template', template, '--json', ...options]
      const { code, stdout, stderr } = await execute(process.execPath, args, folder, env)
      if (code !== 0) throw new Error(`init failed with exit code ${code}: ${stderr}`)
      return openProject(join(folder, name), JSON.parse(stdout) as TemplateProject['created'], env)
    },
    npmCreate: (...args) =>
      // A cache of its own: npm keeps what it once created projects with.
      execute('npm', ['create', '--yes', 'mcpwire@latest', '--', ...args], folder, {
        ...env,
        npm_config_cache: join(folder, 'npm-cache'),
      }),
    close: async () => {
      await registry.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function openProject(folder: string, created: TemplateProject['created'], env: Environment): TemplateProject {
  const main = join(folder, 'node_modules/mcpwire/dist/cli/mcpwire.js')
  return {
    folder,
    created,
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    npm: (...args) => execute('npm', args, folder, env),
    mcpwire: (...args) => execute(process.execPath, [main, ...args], folder, env),
    startScript: (args, text, more = {}) => startUntil('npm', args, text, folder, { ...env, ...more }),
    startMcpwire: (args, text) => startUntil(process.execPath, [main, ...args], text, folder, env),
  }
}

async function startUntil(
  command: string,
  args: readonly string[],
  text: string,
  cwd: string,
  env: Environment,
): Promise<StartedScript> {
  const child = start(command, args, cwd, env)
  const exited = once(child, 'exit')
  let printed = ''
  for await (const chunk of child.stderr.setEncoding('utf8')) {
    printed += String(chunk)
    if (printed.includes(text)) break
  }
  if (!printed.includes(text)) throw new Error(`${args.join(' ')} ended: ${printed}`)
  return {
    printed,
    ended: exited.then(() => {}),
    stop: async () => {
      if (child.pid !== undefined && !isWindows) process.kill(-child.pid, 'SIGTERM')
      else child.kill()
      await exited
    },
  }
}

type Environment = Record<string, string | undefined>

/** Of the test runner, and of the script that started it: these change what a project does. */
const OF_RUNNER =
  /^(?:VITEST.*|TEST|NODE_ENV|NODE_OPTIONS|DEV|PROD|MODE|SSR|BASE_URL|npm_.*|INIT_CWD|FORCE_COLOR|NO_COLOR)$/

function environment({ url }: LocalRegistry, home: string): Environment {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_RUNNER.test(name))),
    npm_config_registry: url,
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    // What commands keep for their user.
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(home, 'cache'),
    NO_COLOR: '1',
  }
}

function start(command: string, args: readonly string[], cwd: string, env: Environment) {
  return spawn(command, args, { cwd, env, stdio: 'pipe', shell: isWindows, detached: !isWindows, timeout: MAX_MS })
}

async function execute(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Environment,
): Promise<CommandResult> {
  const child = start(command, args, cwd, env)
  const result: CommandResult = { code: null, stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      result[name] += text
    })
  }
  child.stdin.end()
  const [code] = (await once(child, 'close')) as [number | null]
  return { ...result, code }
}
