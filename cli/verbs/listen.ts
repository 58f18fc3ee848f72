// mcpwire listen: prints changes of a server as they come.
import type { Client } from 'mcpwire'
import type { ServerEvent } from 'mcpwire/client'
import type { ConnectionOptions } from '../target/connection-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'
import { showJSONLine, showLine } from '../terminal/terminal-text.ts'
import { connected, expectNoMore, splitWords } from './shared/connected.ts'
import type { Invocation } from './shared/invocation.ts'

export interface ListenOptions extends ConnectionOptions {
  tools?: boolean
  resources?: boolean
  prompts?: boolean
  uri?: readonly string[]
  /** Seconds. */
  for?: number
}

export async function listenVerb(invocation: Invocation<ListenOptions>): Promise<number> {
  const { options, output } = invocation
  const { target, rest } = splitWords(invocation)
  expectNoMore(rest, 'listen <target>')
  await connected(invocation, target, (client) => printChanges(client, options, output))
  return EXIT.done
}

async function printChanges(client: Client, options: ListenOptions, output: Output): Promise<void> {
  const subscription = await client.listen(filterOf(options))
  const { honored, refused } = subscription
  if (Object.keys(honored).length === 0) {
    await subscription.close()
    throw new Failure('The server announces none of these changes.', {
      slug: 'listen-not-supported',
      exitCode: EXIT.refused,
      hint: 'Use --tools, --resources, --prompts or --uri to choose others.',
    })
  }
  const missing = Object.keys(refused)
  if (missing.length > 0) output.detail(`The server does not announce: ${missing.map(showLine).join(', ')}`)
  output.note(`Listening for ${describeFilter(honored)}`)
  const timer = options.for === undefined ? undefined : setTimeout(() => void subscription.close(), options.for * 1000)
  try {
    for await (const event of subscription) printEvent(event, output)
  } finally {
    clearTimeout(timer)
    await subscription.close()
  }
}

/** Without a choice, all lists; `--uri` alone listens to that resource only. */
function filterOf({ tools = false, resources = false, prompts = false, uri = [] }: ListenOptions) {
  const isChosen = tools || resources || prompts || uri.length > 0
  return {
    ...((tools || !isChosen) && { toolsListChanged: true as const }),
    ...((resources || !isChosen) && { resourcesListChanged: true as const }),
    ...((prompts || !isChosen) && { promptsListChanged: true as const }),
    ...(uri.length > 0 && { resourceSubscriptions: [...uri] }),
  }
}

const NAMES: Partial<Record<string, string>> = {
  toolsListChanged: 'tools',
  resourcesListChanged: 'resources',
  promptsListChanged: 'prompts',
}

function describeFilter(filter: object): string {
  return Object.entries(filter)
    .map(
      ([member, value]) =>
        NAMES[member] ??
        [value]
          .flat()
          .map((each) => showLine(String(each)))
          .join(', '),
    )
    .join(', ')
}

function printEvent(event: ServerEvent, output: Output): void {
  const time = new Date()
  if (output.isJSON) {
    output.print(showJSONLine({ time: time.toISOString(), ...event }))
    return
  }
  const { type, uri } = event as { type: string; uri?: string }
  const what = NAMES[type] === undefined ? `updated ${showLine(uri ?? type)}` : `changed ${NAMES[type]}`
  output.print(`${output.paint.dim(time.toTimeString().slice(0, 8))}  ${what}`)
}
