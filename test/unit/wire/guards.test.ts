// The type guards: each follows the shape that its name says, in whichever revision has it.
import { describe, expect, it } from 'vitest'
import { PROTOCOL_VERSIONS } from '../../../src/types/protocol/versions.ts'
import * as guards from '../../../src/wire/guards.ts'
import { grammarOf, type ShapeName } from '../../../src/wire/shapes/grammar.ts'

const text = { type: 'text', text: 'hi' }
const contents = { uri: 'a:b', text: '' }
const tool = { name: 'add', inputSchema: { type: 'object' } }
const task = { taskId: 't', status: 'working', createdAt: '', lastUpdatedAt: '', ttl: 1 }
const implementation = { name: 'n', version: '1' }

/** One value that each guard accepts. */
const ACCEPTED: Readonly<Record<keyof typeof guards, unknown>> = {
  isContentBlock: { type: 'resource_link', uri: 'a:b', name: 'b' },
  isTextContent: text,
  isImageContent: { type: 'image', data: '', mimeType: 'image/png' },
  isAudioContent: { type: 'audio', data: '', mimeType: 'audio/wav' },
  isResourceLink: { type: 'resource_link', uri: 'a:b', name: 'b' },
  isEmbeddedResource: { type: 'resource', resource: contents },
  isTextResourceContents: contents,
  isBlobResourceContents: { uri: 'a:b', blob: '' },
  isToolUseContent: { type: 'tool_use', id: '1', name: 'add', input: {} },
  isToolResultContent: { type: 'tool_result', toolUseId: '1', content: [] },
  isSamplingMessageContentBlock: text,
  isTool: tool,
  isResource: { uri: 'a:b', name: 'b' },
  isResourceTemplate: { uriTemplate: 'a:{b}', name: 'b' },
  isPrompt: { name: 'p' },
  isPromptMessage: { role: 'user', content: text },
  isSamplingMessage: { role: 'user', content: [text] },
  isRoot: { uri: 'file:///a' },
  isTask: task,
  isImplementation: implementation,
  isClientCapabilities: { sampling: { tools: {} } },
  isServerCapabilities: { tools: { listChanged: true } },
  isInitializeResult: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: implementation },
  isDiscoverResult: { resultType: 'complete', supportedVersions: [], capabilities: {}, ttlMs: 0, cacheScope: 'public' },
  isListToolsResult: { tools: [tool] },
  isCallToolResult: { content: [text], structuredContent: [1], resultType: 'complete' },
  isListResourcesResult: { resources: [] },
  isListResourceTemplatesResult: { resourceTemplates: [] },
  isReadResourceResult: { contents: [contents] },
  isListPromptsResult: { prompts: [] },
  isGetPromptResult: { messages: [] },
  isCompleteResult: { completion: { values: [] } },
  isSubscriptionsListenResult: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
  isInputRequiredResult: { resultType: 'input_required', requestState: '' },
  isInputRequest: { method: 'roots/list' },
  isInputResponse: { roots: [] },
  isElicitRequestFormParams: { message: '', requestedSchema: { type: 'object', properties: {} } },
  isElicitRequestURLParams: { mode: 'url', message: '', url: 'https://example.com' },
  isElicitResult: { action: 'accept', content: { height: 1.8 } },
  isCreateMessageResult: { role: 'assistant', content: text, model: 'm' },
  isListRootsResult: { roots: [] },
  isCreateTaskResult: { task },
  isGetTaskResult: task,
  isCancelTaskResult: task,
  isListTasksResult: { tasks: [task] },
}

const GUARDS = Object.entries(guards) as [keyof typeof guards, (value: unknown) => boolean][]

describe.each(GUARDS)('%s', (name, accepts) => {
  it('accepts one', () => {
    expect(accepts(ACCEPTED[name])).toBe(true)
  })

  it('refuses what is none', () => {
    for (const value of [undefined, null, 5, '', [], [ACCEPTED[name]], () => ({})]) expect(accepts(value)).toBe(false)
  })

  it('says of all the others what the revisions say together', () => {
    const shape = name.slice('is'.length) as ShapeName
    for (const value of Object.values(ACCEPTED)) {
      const fits = PROTOCOL_VERSIONS.filter((version) => grammarOf(version).has(shape)).some(
        (version) => grammarOf(version).misfit(shape, value) === undefined,
      )
      expect(accepts(value)).toBe(fits)
    }
  })
})

it('takes a result of any revision', () => {
  expect(guards.isCallToolResult({ content: [] })).toBe(true)
  expect(guards.isCallToolResult({ content: [], resultType: 'complete' })).toBe(true)
  expect(guards.isElicitRequestURLParams({ mode: 'url', message: '', url: 'a:b', elicitationId: 'e' })).toBe(true)
})
