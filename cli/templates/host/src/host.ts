import { ClientSessionGroup, type GroupServer } from 'mcpwire/client'
import { type Ask, answerForm } from './questions.ts'

/** Tools are named by their server as well, since two servers can have a tool of one name. */
const componentName = (name: string, { label }: GroupServer) => `${label}_${name}`

/** A group without servers. The user answers what they ask. */
export function createHost(): ClientSessionGroup {
  return new ClientSessionGroup({ componentName })
}

/** All servers of a config file. One that does not start is reported, and the others are used. */
export function openHost(file: string, ask: Ask): Promise<ClientSessionGroup> {
  return ClientSessionGroup.open(file, {
    componentName,
    client: { onElicitation: (question) => answerForm(question, ask) },
    onFault: ({ message }) => console.error(message),
  })
}
