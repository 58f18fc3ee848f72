// mcpwire list: what a server offers, one line each.
import { rememberTools } from '../files/tool-cache.ts'
import type { ConnectionOptions } from '../target/connection-options.ts'
import { prepareWidths } from '../terminal/columns.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import type { Output } from '../terminal/output.ts'
import { type Kinds, listServer, type ServerOverview, showNames, showOverview } from '../terminal/show-server.ts'
import { showJSON } from '../terminal/terminal-text.ts'
import { promptSignature, signatureOf } from '../values/signature.ts'
import { connected, expectNoMore, splitWords } from './shared/connected.ts'
import type { Invocation } from './shared/invocation.ts'

export interface ListOptions extends ConnectionOptions {
  tools?: boolean
  resources?: boolean
  prompts?: boolean
  all?: boolean
  schema?: boolean
  names?: boolean
}

export async function listVerb(invocation: Invocation<ListOptions>): Promise<number> {
  const { options, output } = invocation
  const { target, rest } = splitWords(invocation)
  expectNoMore(rest, 'list <target>')
  const overview = await connected(invocation, target, async (client, { label }) => {
    const found = await listServer(client, kindsOf(options))
    if (found.tools !== undefined && label !== '' && !label.startsWith('-- ')) {
      rememberTools(
        label,
        found.tools.map(({ name }) => name),
      )
    }
    return found
  })
  if (overview !== undefined) await printOverview(overview, options, output)
  return EXIT.done
}

/** Without a choice, all of them. */
function kindsOf({ tools = false, resources = false, prompts = false, all = false }: ListOptions): Kinds {
  const isChosen = !all && (tools || resources || prompts)
  return isChosen ? { tools, resources, prompts } : { tools: true, resources: true, prompts: true }
}

async function printOverview(overview: ServerOverview, options: ListOptions, output: Output): Promise<void> {
  if (output.isJSON) {
    output.print(showJSON(overview))
    return
  }
  if (options.names === true) {
    const names = showNames(overview)
    if (names !== '') output.print(names)
    return
  }
  const style = {
    paint: output.paint,
    width: output.isTerminal ? output.width : undefined,
    withSchemas: options.schema === true,
    signatureOf,
    promptSignature,
  }
  await prepareWidths(showOverview(overview, style))
  output.print(showOverview(overview, style))
}
