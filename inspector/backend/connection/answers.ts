// The callbacks of a client that hand its server's questions to the person at the page.
import { type ClientOptions, MCPError } from 'mcpwire'
import type { ElicitResult } from 'mcpwire/types'
import type { QuestionKind } from '../../protocol/state.ts'
import type { Answer, Questions } from '../work/questions.ts'
import { currentCall } from './message-tap.ts'

interface Asker {
  readonly id: string
  readonly state: { readonly target: string }
  callOf(requestId: unknown): string | undefined
}

type Callbacks = Pick<ClientOptions, 'onElicitation' | 'onSampling' | 'onListRoots'>

export function answerWith(connection: Asker, questions: Questions): Callbacks {
  const ask = (kind: QuestionKind, params: object, requestId: unknown, signal: AbortSignal): Promise<Answer> => {
    // On a modern connection the question is answered within the call; on a legacy one it is a request of its own.
    const call = currentCall.getStore() ?? connection.callOf(requestId)
    return questions.ask(
      { connection: connection.id, target: connection.state.target, call, kind, params: { ...params } },
      signal,
    )
  }
  return {
    onElicitation: async (params, { requestId, signal }) => {
      const kind = 'url' in params ? 'url' : 'form'
      return toElicitResult(await ask(kind, params, requestId, signal))
    },
    onSampling: async (params, { requestId, signal }) => {
      const { action, text, model } = await ask('sampling', params, requestId, signal)
      // Spec, Sampling: how a client says that its user refused.
      if (action !== 'accept') throw new MCPError(-1, 'User rejected sampling request')
      return {
        role: 'assistant',
        model: typeof model === 'string' && model !== '' ? model : 'a person',
        content: { type: 'text', text: String(text ?? '') },
        stopReason: 'endTurn',
      }
    },
    onListRoots: async (params, { requestId, signal }) => {
      const { roots } = await ask('roots', params, requestId, signal)
      const list = Array.isArray(roots) ? roots : []
      return {
        roots: list.flatMap((root: { uri?: unknown; name?: unknown }) =>
          typeof root?.uri === 'string'
            ? [{ uri: root.uri, ...(typeof root.name === 'string' && root.name !== '' && { name: root.name }) }]
            : [],
        ),
      }
    },
  }
}

function toElicitResult({ action, content }: Answer): ElicitResult {
  if (action === 'decline' || action === 'cancel') return { action }
  const isObject = typeof content === 'object' && content !== null
  return { action: 'accept', ...(isObject && { content: content as NonNullable<ElicitResult['content']> }) }
}
