// What must and must not compile when a session is called.
import type { ClaimedResult } from '../../src/client/extensions/extension.ts'
import type { ClientSession } from '../../src/client/session/session.ts'
import type {
  CallToolResult,
  GetPromptResult,
  InputRequiredResult,
  JSONObject,
  ListToolsResult,
  ReadResourceResult,
} from '../../src/exports/types.ts'
import { holds, type Same } from './assert.ts'

declare const session: ClientSession

const plain = session.callTool('x', { a: 1 }, { timeoutMs: 1 })
holds<Same<Awaited<typeof plain>, CallToolResult>>()
const asking = session.callTool('x', {}, { allowInputRequired: true })
holds<Same<Awaited<typeof asking>, CallToolResult | InputRequiredResult>>()
const claimed = session.callTool('x', {}, { allowClaimed: true })
holds<Same<Awaited<typeof claimed>, CallToolResult | ClaimedResult>>()
const both = session.callTool('x', {}, { allowClaimed: true, allowInputRequired: true })
holds<Same<Awaited<typeof both>, CallToolResult | InputRequiredResult | ClaimedResult>>()

const resource = session.readResource('x:1')
holds<Same<Awaited<typeof resource>, ReadResourceResult>>()
const askingPrompt = session.getPrompt('p', undefined, { allowInputRequired: true })
holds<Same<Awaited<typeof askingPrompt>, GetPromptResult | InputRequiredResult>>()

// A request is typed by its method; params can be left out where none are required.
const listed = session.sendRequest('tools/list')
holds<Same<Awaited<typeof listed>, ListToolsResult>>()
const vendor = session.sendRequest('acme/search', { q: 'x' }, { nameParam: 'q' })
holds<Same<Awaited<typeof vendor>, JSONObject>>()
declare const anyMethod: string
const dynamic = session.sendRequest(anyMethod)
holds<Same<Awaited<typeof dynamic>, JSONObject>>()
const askingRequest = session.sendRequest('tools/call', { name: 'x' }, { allowInputRequired: true })
holds<Same<Awaited<typeof askingRequest>, CallToolResult | InputRequiredResult>>()

// @ts-expect-error a mistyped call of a method of the specification does not pass for a vendor's
void session.sendRequest('tools/call', { tool: 'x' })
// @ts-expect-error its params are required
void session.sendRequest('tools/call')
// @ts-expect-error only a vendor's method names its own name param
void session.sendRequest('tools/list', {}, { nameParam: 'x' })
// @ts-expect-error there is no such option
void session.callTool('x', {}, { timeout: 5 })
