// Questions of a server during a call, answered one at a time by whoever is at the terminal.
import type { ClientOptions } from 'mcpwire'
import { answerQuestions } from './answer-questions.ts'
import { answerSampling } from './answer-sampling.ts'
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
            onElicitation: inTurn(answerQuestions(prompter, output, serverName)),
            onSampling: inTurn(answerSampling(prompter, output, serverName)),
          },
    get isOpen() {
      return open > 0
    },
  }
}
