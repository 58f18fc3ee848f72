// The commands and their options, as they are typed.
import { readFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import { PROTOCOL_VERSIONS } from 'mcpwire/types'
import type { InspectOptions } from './inspect.ts'
import type { RunCommandOptions } from './run.ts'
import type { Output } from './terminal/output.ts'
import { createPrompter } from './terminal/prompter.ts'
import { showText } from './terminal/terminal-text.ts'
import type { WorkerCommandOptions } from './worker.ts'

const TARGET = 'URL, file with a server, or command after --'

/** Each command is loaded when it is used. `exit` gets the exit code of the process. */
export function createProgram(output: Output, exit: (code: number) => void): Command {
  const version = readVersion()
  const program = new Command('mcpwire')
    .description('Run, inspect and install MCP servers')
    .version(version, '-V, --version')
    .configureOutput({
      writeOut: (text) => output.print(text.trimEnd()),
      writeErr: (text) => output.note(showText(text.trimEnd())),
    })
    .exitOverride()
    .showSuggestionAfterError()
  addRun(program, output, exit)
  addWorker(program, output, exit)
  addInspect(program, output, exit)
  addInstall(program, output)
  program
    .command('version')
    .description('Print the version')
    .action(() => output.print(version))
  return program
}

function readVersion(): string {
  const manifest = readFileSync(new URL(import.meta.resolve('mcpwire/package.json')), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

function addRun(program: Command, output: Output, exit: (code: number) => void): void {
  program
    .command('run')
    .description("Run the server in a file. Options override the file's own settings")
    .argument('<file>', 'JavaScript or TypeScript file; file:name to choose an export')
    .addOption(
      new Option('-t, --transport <transport>', 'Transport to serve on').choices(['stdio', 'http']).default('stdio'),
    )
    .option('-p, --port <port>', 'Port for HTTP (default: 3000, 0 for any free port)', toPort)
    .option('--host <address>', 'Address to listen on for HTTP (default: 127.0.0.1)')
    .option('--path <path>', 'Path of the endpoint for HTTP (default: /mcp)')
    .action(async (file: string, options: RunCommandOptions) => {
      const { run } = await import('./run.ts')
      exit(await run(file, options, output))
    })
}

function addWorker(program: Command, output: Output, exit: (code: number) => void): void {
  program
    .command('worker')
    .description('Run the tasks of the server in a file, on the backend that it shares with other processes')
    .argument('<file>', 'JavaScript or TypeScript file; file:name to choose an export')
    .option('-w, --workers <count>', 'Tasks to run at once (default: workers of tasks(), or 16)', toWorkers)
    .action(async (file: string, options: WorkerCommandOptions) => {
      const { work } = await import('./worker.ts')
      exit(await work(file, options, output))
    })
}

interface TypedInspectOptions extends InspectOptions, TypedTargetOptions {
  timeout?: number
}

function addInspect(program: Command, output: Output, exit: (code: number) => void): void {
  withTarget(program.command('inspect'))
    .description('List what a server offers, or call a tool, read a resource or get a prompt')
    .option('--call <tool>', 'Call a tool')
    .option('--read <uri>', 'Read a resource')
    .option('--prompt <name>', 'Get a prompt')
    .option('-a, --arg <key=value>', 'Argument of the call; repeatable', collect)
    .option('--args <json>', 'All arguments as a JSON object')
    .addOption(
      new Option('--mode <mode>', 'Era or protocol revision to use (default: auto)').choices([
        'auto',
        'modern',
        'legacy',
        ...PROTOCOL_VERSIONS,
      ]),
    )
    .option('--timeout <seconds>', 'Maximum time for a request in seconds, even while progress is reported', toSeconds)
    .option('--login', 'Log in with the browser if the server requires it')
    .option('--json', 'Print the result as JSON')
    .action(async (words: string[], { timeout, ...options }: TypedInspectOptions) => {
      const [{ inspect }, { findTarget }] = await Promise.all([import('./inspect.ts'), import('./target.ts')])
      const entry = await findTarget(words, options, output)
      const timeLimit = timeout === undefined ? {} : { timeoutMs: timeout * 1000 }
      exit(await inspect(entry, { ...options, ...timeLimit }, output, createPrompter(process)))
    })
}

interface TypedInstallOptions extends TypedTargetOptions {
  name?: string
  host?: string
  project?: boolean
  force?: boolean
  dryRun?: boolean
  check?: boolean
}

function addInstall(program: Command, output: Output): void {
  const install = withEntry(program.command('install'))
    .description("Add a server to a host's config")
    .option('-n, --name <name>', 'Server name in the config (default: the name of the file, or the host of the URL)')
  withPlace(install)
    .option('-f, --force', 'Replace a server of that name; its environment variables are kept')
    .option('--no-check', 'Add the server without starting it once to check it')
    .action(async (words: string[], options: TypedInstallOptions) => {
      const [{ install }, { findStartProblems, isRunByUs, nameTarget, parseTarget }, { tryEntry }] = await Promise.all([
        import('./install/install.ts'),
        import('./target.ts'),
        import('./install/try-entry.ts'),
      ])
      const entry = await parseTarget(words, options)
      const { check: isChecked, ...rest } = options
      const check = isChecked !== false && isRunByUs(entry) ? () => tryEntry(entry) : undefined
      await install({ ...rest, name: options.name ?? nameTarget(words), entry, ...(check && { check }) }, output)
      for (const problem of findStartProblems(entry)) output.note(problem)
    })
  withPlace(program.command('uninstall').argument('<name>', 'Server name in the config'))
    .description("Remove a server from a host's config")
    .action(async (name: string, options: TypedInstallOptions) => {
      const { uninstall } = await import('./install/install.ts')
      await uninstall({ ...options, name }, output)
    })
}

interface TypedTargetOptions {
  env?: string[]
  envFile?: string
  header?: string[]
  config?: string
  server?: string
}

function withTarget(command: Command): Command {
  return withEntry(command)
    .option('--config <file>', 'Read the server from a config file with mcpServers')
    .option('--server <name>', 'Server name in the config file (default: the only one)')
}

function withEntry(command: Command): Command {
  return command
    .argument('[target...]', TARGET)
    .option('-e, --env <KEY=VALUE>', 'Environment variable for the server; repeatable', collect)
    .option('--env-file <file>', 'Read environment variables from a file')
    .option('-H, --header <header>', "HTTP header for a URL, as 'Name: value'; repeatable", collect)
}

function withPlace(command: Command): Command {
  return command
    .option('--host <host>', 'Host to configure: claude-desktop, claude-code, cursor, vscode, …')
    .option('--config <file>', 'Config file with mcpServers, instead of --host')
    .option('--project', "Use the config of the current folder instead of the user's")
    .option('--dry-run', 'Print the change and write nothing')
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

function toPort(text: string): number {
  const port = Number(text)
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('Use a whole number from 0 to 65535.')
}

function toWorkers(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= 10_000) return count
  throw new InvalidArgumentError('Use a whole number from 1 to 10000.')
}

function toSeconds(text: string): number {
  const seconds = Number(text)
  if (seconds > 0 && seconds <= 86_400) return seconds
  throw new InvalidArgumentError('Use a number of seconds, up to 86400.')
}
