// mcpwire proxy: a server in front of another one, or of several.
import { ConnectError } from 'mcpwire'
import { createGateway, createProxy, type ProxyOptions, type ProxyTarget } from 'mcpwire/proxy'
import { hide, only } from 'mcpwire/transforms'
import { explain } from '../errors/explain.ts'
import { withoutStderr } from '../errors/start-failure.ts'
import type { ServerEntry } from '../install/server-entry.ts'
import { readServers } from '../install/servers-file.ts'
import { type ConnectionOptions, checkMode } from '../target/connection-options.ts'
import { nameTarget } from '../target/install-target.ts'
import { resolveTarget } from '../target/target.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { usageFailure } from '../terminal/failure.ts'
import { showLine } from '../terminal/terminal-text.ts'
import type { Invocation } from './shared/invocation.ts'
import { checkServeOptions, type ServeOptions, serveUntilEnd } from './shared/serve.ts'

const MAX_CAUSES = 10

interface ProxyVerbOptions extends ConnectionOptions, ServeOptions {
  as?: readonly string[]
  only?: readonly string[]
  hide?: readonly string[]
}

/** Resolves when the client has gone, or a signal has come. */
export async function proxyVerb(invocation: Invocation<ProxyVerbOptions>): Promise<number> {
  const { options, output } = invocation
  checkMode(options.mode)
  checkServeOptions(options)
  const { targets, keepsNames } = await findTargets(invocation)
  const shared: ProxyOptions = {
    ...(options.mode !== undefined && { mode: options.mode as 'auto' }),
    transforms: [
      ...(options.only === undefined ? [] : [only([...options.only])]),
      ...(options.hide === undefined ? [] : [hide([...options.hide])]),
    ],
    onFault: ({ message, remedy, error }) =>
      output.note(
        `mcpwire: ${showLine([message, ...(remedy === undefined ? [] : [remedy]), ...reasonOf(error)].join(' '))}`,
      ),
  }
  const [first] = targets.values()
  const server = keepsNames && first !== undefined ? createProxy(first, shared) : createGateway(targets, shared)
  await using _server = server
  await serveUntilEnd(server, options, output)
  return EXIT.done
}

/** Why a source cannot be reached: whoever starts a proxy reads its stderr, and its clients do not. */
function reasonOf(error: unknown): string[] {
  for (let at = error, depth = 0; at instanceof Error && depth < MAX_CAUSES; at = at.cause, depth += 1) {
    if (at instanceof ConnectError) return [withoutStderr(explain(at).message)]
  }
  return []
}

interface FoundTargets {
  /** By the names that stand before those of their tools. */
  readonly targets: Map<string, ProxyTarget>
  /** One target keeps its names; several get a namespace each, and so does each that was given one. */
  readonly keepsNames: boolean
}

async function findTargets({
  words,
  afterDashes,
  options,
  output,
}: Invocation<ProxyVerbOptions>): Promise<FoundTargets> {
  const targets = new Map<string, ProxyTarget>()
  const { config, as: named = [], ...rest } = options
  const add = (name: string, entry: ServerEntry) => {
    if (targets.has(name)) throw usageFailure(`Two targets have the name "${showLine(name)}".`, 'Use --as name=target.')
    targets.set(name, toProxyTarget(name, entry))
  }
  /** Nobody chose this name to stand before others: a host lists "Home Assistant", a file is called `my server.js`. */
  const addNamed = (given: string, entry: ServerEntry) => {
    const name = NAME.test(given)
      ? given
      : given
          .replace(OTHER, '_')
          .replace(/^_+|_+$/g, '')
          .slice(0, 48) || 'server'
    if (name !== given) output.detail(`The server "${showLine(given)}" is called ${name} here.`)
    add(name, entry)
  }
  const resolve = async (word: string) => {
    // A name is one of the file, where there is a file.
    const own = config !== undefined && word.startsWith('@') ? { ...rest, config } : rest
    return (await resolveTarget({ word, command: undefined }, own, output)).entry
  }
  const takesAll = config !== undefined && ![...words, ...named].some((word) => /^([^=]+=)?@/.test(word))
  if (takesAll) {
    const { servers, disabled, warnings } = await readServers(config)
    for (const warning of warnings) output.note(`mcpwire: ${showLine(warning)}`)
    for (const name of disabled) output.note(`mcpwire: The server '${showLine(name)}' is disabled and is left out.`)
    if (servers.size === 0 && disabled.length > 0)
      throw usageFailure(`All servers of ${showLine(config)} are disabled.`)
    for (const [name, entry] of servers) addNamed(name, entry)
  }
  for (const word of named) {
    const at = word.indexOf('=')
    if (at < 1)
      throw usageFailure(`"${showLine(word)}" is not of the form name=target.`, 'Example: --as files=server.js')
    checkName(word.slice(0, at))
    add(word.slice(0, at), await resolve(word.slice(at + 1)))
  }
  for (const word of words) {
    // Before its name: whether it is a target at all is said first.
    const entry = await resolve(word)
    addNamed(word.startsWith('@') ? word.slice(1) : nameTarget([word]), entry)
  }
  if (afterDashes !== undefined) {
    add('command', (await resolveTarget({ word: undefined, command: afterDashes }, rest, output)).entry)
  }
  if (targets.size === 0) {
    throw usageFailure('The target is missing.', 'Give URLs, files, @names, --config, or a command after --.')
  }
  return { targets, keepsNames: targets.size === 1 && named.length === 0 && !takesAll }
}

/** As the gateway takes them. */
const NAME = /^[A-Za-z0-9_.-]{1,48}$/
const OTHER = /[^A-Za-z0-9_.-]+/g

function checkName(name: string): void {
  if (NAME.test(name)) return
  throw usageFailure(
    `The name "${showLine(name)}" of --as can't stand before the names of tools.`,
    'Use 1 to 48 letters, digits, "_", "-" and ".".',
  )
}

function toProxyTarget(name: string, entry: ServerEntry): ProxyTarget {
  return { mcpServers: { [name]: { ...entry } } }
}
