// Questions of a server during a call, answered one at a time by whoever is at the terminal.
import type { ClientOptions } from 'mcpwire'
import type { Output } from './output.ts'
import type { Prompter } from './prompter.ts'

export interface Questions {
  readonly clientOptions: Pick<ClientOptions, 'onElicitation' | 'onSampling'>
  /** Whether the user is being asked: nothing else is drawn meanwhile. */
  readonly isOpen: boolean
}

/** Without a terminal the client offers neither elicitation nor sampling. */
export function createQuestions(prompter: Prompter | undefined, output: Output, serverName: () => string): Questions {
  let open = 0
  let last: Promise<unknown> = Promise.resolve()
  /** A server may send several requests at once. */
  const inTurn = <Params, Context, Result>(answer: (params: Params, context: Context) => Result | Promise<Result>) => {
    return (params: Params, context: Context): Promise<Result> => {
      open += 1
      output.status(undefined)
      const answered = last
        .then(() => answer(params, context))
        .finally(() => {
          open -= 1
        })
      last = answered.catch(() => {})
      return answered
    }
  }
  return {
    clientOptions:
      prompter === undefined
        ? {}
        : {
            onElicitation: inTurn(async (params, context) => {
              const { answerQuestions } = await import('./answer-questions.ts')
              return answerQuestions(prompter, output, serverName)(params, context)
            }),
            onSampling: inTurn(async (params, context) => {
              const { answerSampling } = await import('./answer-sampling.ts')
              return answerSampling(prompter, output, serverName)(params, context)
            }),
          },
    get isOpen() {
      return open > 0
    },
  }
}
