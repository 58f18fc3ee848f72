// A server whose one tool is a handler that may ask, and clients of both eras that answer.
import type { Client } from '../../../../src/client/client.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import { CallInteraction, type Interaction } from '../../../../src/mcpserver/asking/interaction.ts'
import type { InteractionOptions } from '../../../../src/mcpserver/asking/options.ts'
import type { ServerRequestContext } from '../../../../src/server/context.ts'
import type { Middleware } from '../../../../src/server/handlers.ts'
import { Server } from '../../../../src/server/server.ts'
import { requestStateBoundary } from '../../../../src/server/state/boundary.ts'
import { createRequestStateSeal } from '../../../../src/server/state/request-state.ts'
import { type ConnectForTestOptions, connect } from '../../../../src/testing/connect.ts'
import type { ElicitRequestFormParams, ElicitRequestParams } from '../../../../src/types/features/elicitation.ts'
import type { InputRequiredResult, InputResponses } from '../../../../src/types/features/input-required.ts'
import type { CallToolResult } from '../../../../src/types/features/tools.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'

export type Run = (interaction: Interaction, ctx: ServerRequestContext) => unknown

export interface Setting {
  name: string
  mode: 'modern' | 'legacy'
  middleware: Middleware[]
}

export const sealed: Middleware = requestStateBoundary(
  createRequestStateSeal({ audience: 'tests', keys: ['a key of thirty-two bytes or more, for tests'] }),
)

export const SETTINGS: Setting[] = [
  { name: 'modern, sealed', mode: 'modern', middleware: [sealed] },
  { name: 'modern, unsealed', mode: 'modern', middleware: [] },
  { name: 'legacy', mode: 'legacy', middleware: [sealed] },
]

/** What the handler returns comes back as `structuredContent.value`; a result of its own comes back as it is. */
export function serve(run: Run, options: InteractionOptions = {}, middleware: Middleware[] = []) {
  const faults: Fault[] = []
  const server = new Server('host', {
    middleware,
    onFault: (fault) => faults.push(fault),
    handlers: {
      'tools/list': () => ({ tools: [{ name: 'tool', inputSchema: { type: 'object' } }] }),
      'tools/call': async (ctx) => {
        const interaction = new CallInteraction(ctx, options)
        const outcome = await interaction.settle(run(interaction, ctx))
        if (isResult(outcome)) return outcome
        return { content: [], structuredContent: { value: outcome } }
      },
    },
  })
  return { server, faults }
}

function isResult(outcome: unknown): outcome is InputRequiredResult {
  return typeof outcome === 'object' && outcome !== null && 'resultType' in outcome
}

export function readValue(result: CallToolResult): unknown {
  return (result.structuredContent as JSONObject)['value']
}

/** Answers every kind of question, forms with the text of the question in each field. */
export const ANSWERING: ConnectForTestOptions = {
  onElicitation: (params) => (isForm(params) ? fillIn(params) : { action: 'accept' }),
  elicitationCapabilities: { form: {}, url: {} },
  onSampling: ({ messages }) => ({
    role: 'assistant',
    model: 'test',
    content: { type: 'text', text: `${messages.length} read` },
  }),
  onListRoots: () => ({ roots: [{ uri: 'file:///home' }] }),
  inputRequiredMaxRounds: 100,
}

function isForm(params: ElicitRequestParams): params is ElicitRequestFormParams {
  return params.mode !== 'url'
}

function fillIn({ message, requestedSchema }: ElicitRequestFormParams) {
  const fields = Object.keys(requestedSchema.properties).map((name) => [name, `${name} of ${message}`])
  return { action: 'accept' as const, content: Object.fromEntries(fields) }
}

/** One call from its first to its last round, by a client that answers everything. */
export async function callThrough(
  run: Run,
  { mode, middleware }: Pick<Setting, 'mode' | 'middleware'>,
  options: InteractionOptions = {},
  clientOptions: ConnectForTestOptions = {},
): Promise<unknown> {
  const { server } = serve(run, options, middleware)
  await using client = await connect(server, { mode, ...ANSWERING, ...clientOptions })
  return readValue(await client.callTool('tool'))
}

/** What came of one round: questions and a state, or a value. */
export interface Round {
  inputRequests: JSONObject
  requestState: string
  value: unknown
}

/** One round: what the call answers to these answers and this state. */
export async function round(client: Client, requestState?: string, inputResponses?: InputResponses): Promise<Round> {
  const result = await client.session.callTool(
    'tool',
    {},
    {
      allowInputRequired: true,
      ...(requestState !== undefined && { requestState }),
      ...(inputResponses !== undefined && { inputResponses }),
    },
  )
  const isAsking = result.resultType === 'input_required'
  return { ...(result as JSONObject), value: isAsking ? undefined : readValue(result as CallToolResult) } as Round
}

export const NAME_FORM = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
} as const

export function accept(content: Record<string, string>) {
  return { action: 'accept' as const, content }
}
