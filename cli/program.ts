// The commands and their options, as they are typed.
import { readFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import { PROTOCOL_VERSIONS } from 'mcpwire/types'
import type { InspectOptions } from './inspect.ts'
import type { RunCommandOptions } from './run.ts'
import type { Output } from './terminal/output.ts'
import { createPrompter } from './terminal/prompter.ts'
import { showText } from './terminal/terminal-text.ts'

const TARGET = 'a URL, a file that has a server in it, or a command after --'

/** Each command is loaded when it is asked for. `exit` gets the code that the process is to end with. */
export function createProgram(output: Output, exit: (code: number) => void): Command {
  const version = readVersion()
  const program = new Command('mcpwire')
    .description('The Model Context Protocol on the command line.')
    .version(version, '-V, --version')
    .configureOutput({
      writeOut: (text) => output.print(text.trimEnd()),
      writeErr: (text) => output.note(showText(text.trimEnd())),
    })
    .exitOverride()
    .showSuggestionAfterError()
  addRun(program, output, exit)
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
    .description('Serve the server that a file runs or exports, as said here and not there')
    .argument('<file>', 'a JavaScript or TypeScript file; file:name for one export of several')
    .addOption(new Option('-t, --transport <transport>').choices(['stdio', 'http']).default('stdio'))
    .option('-p, --port <port>', 'for http; 3000 unless given, 0 takes any that is free', toPort)
    .option('--host <address>', 'for http; 127.0.0.1 unless given')
    .option('--path <path>', 'for http; /mcp unless given')
    .action(async (file: string, options: RunCommandOptions) => {
      const { run } = await import('./run.ts')
      exit(await run(file, options, output))
    })
}

interface TypedInspectOptions extends InspectOptions, TypedTargetOptions {
  timeout?: number
}

function addInspect(program: Command, output: Output, exit: (code: number) => void): void {
  withTarget(program.command('inspect'))
    .description('Show what a server offers, or call one thing of it')
    .option('--call <tool>', 'call a tool')
    .option('--read <uri>', 'read a resource')
    .option('--prompt <name>', 'get a prompt')
    .option('-a, --arg <key=value>', 'an argument; may be repeated', collect)
    .option('--args <json>', 'all arguments as a JSON object')
    .addOption(
      new Option('--mode <mode>', 'the era or revision to speak (default: auto)').choices([
        'auto',
        'modern',
        'legacy',
        ...PROTOCOL_VERSIONS,
      ]),
    )
    .option('--timeout <seconds>', 'how long an answer may take, whatever is heard of it meanwhile', toSeconds)
    .option('--login', 'log in with the browser where the server asks for it')
    .option('--json', 'print the result as JSON')
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
    .description('Write a server into the configuration of a host')
    .option('-n, --name <name>', 'what the host calls it; as the file or the host of the URL unless given')
  withPlace(install)
    .option('-f, --force', 'replace what is there under that name; its environment is kept where none is given')
    .option('--no-check', 'write the entry of a file without starting its server once')
    .action(async (words: string[], options: TypedInstallOptions) => {
      const [{ install }, { findHindrances, isRunByUs, nameTarget, parseTarget }, { tryEntry }] = await Promise.all([
        import('./install/install.ts'),
        import('./target.ts'),
        import('./install/try-entry.ts'),
      ])
      const entry = await parseTarget(words, options)
      const { check: isChecked, ...rest } = options
      const check = isChecked !== false && isRunByUs(entry) ? () => tryEntry(entry) : undefined
      await install({ ...rest, name: options.name ?? nameTarget(words), entry, ...(check && { check }) }, output)
      for (const hindrance of findHindrances(entry)) output.note(hindrance)
    })
  withPlace(program.command('uninstall').argument('<name>', 'what the host calls it'))
    .description('Take a server out of the configuration of a host')
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
    .option('--config <file>', 'take the server from a file with mcpServers')
    .option('--server <name>', 'which one of that file; the only one unless given')
}

function withEntry(command: Command): Command {
  return command
    .argument('[target...]', TARGET)
    .option('-e, --env <KEY=VALUE>', 'for a server that is started; may be repeated', collect)
    .option('--env-file <file>', 'the same from a file')
    .option('-H, --header <header>', "for a URL: 'Name: value'; may be repeated", collect)
}

function withPlace(command: Command): Command {
  return command
    .option('--host <host>', 'claude-desktop, claude-code, cursor, vscode, …')
    .option('--config <file>', 'a file with mcpServers instead')
    .option('--project', 'the configuration of this folder instead of that of the user')
    .option('--dry-run', 'show the change and write nothing')
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

function toPort(text: string): number {
  const port = Number(text)
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new InvalidArgumentError('A port is a whole number from 0 to 65535.')
}

function toSeconds(text: string): number {
  const seconds = Number(text)
  if (seconds > 0 && seconds <= 86_400) return seconds
  throw new InvalidArgumentError('Give a number of seconds, up to a day.')
}
