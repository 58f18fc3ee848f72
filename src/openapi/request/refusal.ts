// An argument that cannot be sent, or must not be: the model reads why, and nothing is sent.

export class ArgumentRefusal extends Error {
  constructor(argument: string, reason: string) {
    super(`The argument ${JSON.stringify(argument)} ${reason}`)
  }
}
