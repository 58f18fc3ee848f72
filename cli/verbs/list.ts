// mcpwire list: what a server offers, one line each.
import { type Keys, type Offers, rememberOffers } from '../files/offers-cache.ts'
import type { ConnectionOptions } from '../target/connection-options.ts'
import { prepareWidths } from '../terminal/columns.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import type { Output } from '../terminal/output.ts'
import { type Kinds, listServer, type ServerOverview, showNames, showOverview } from '../terminal/show-server.ts'
import { showJSON } from '../terminal/terminal-text.ts'
import { alternativesOf, choicesOf, propertiesOf, resolveRef, type Schema, typesOf } from '../values/schema-types.ts'
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
    if (label !== '' && !label.startsWith('-- ')) rememberOffers(label, offersOf(found))
    return found
  })
  if (overview !== undefined) await printOverview(overview, options, output)
  return EXIT.done
}

/** Names, arguments and what can be chosen for them. */
function offersOf({ tools, prompts, resources, resourceTemplates = [] }: ServerOverview): Partial<Offers> {
  const choices = (schema: Schema): Keys =>
    Object.fromEntries(
      [...propertiesOf(schema, schema)].map(([name, own]) => [
        name,
        alternativesOf(resolveRef(own, schema), schema)
          .flatMap((each) => choicesOf(each) ?? (isBoolean(each) ? BOOLEANS : []))
          .map(String),
      ]),
    )
  return {
    ...(tools && { tools: Object.fromEntries(tools.map((tool) => [tool.name, choices(tool.inputSchema as Schema)])) }),
    ...(prompts && {
      prompts: Object.fromEntries(
        prompts.map(({ name, arguments: list = [] }) => [
          name,
          Object.fromEntries(list.map((each) => [each.name, []])),
        ]),
      ),
    }),
    ...(resources && { uris: [...resources.map(({ uri }) => uri), ...resourceTemplates.map(prefixOf)] }),
  }
}

const BOOLEANS = ['true', 'false']

function isBoolean(schema: Schema): boolean {
  return typesOf(schema).includes('boolean')
}

/** What stands before the first variable. */
function prefixOf({ uriTemplate }: { uriTemplate: string }): string {
  return uriTemplate.slice(0, Math.max(0, uriTemplate.indexOf('{'))) || uriTemplate
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
