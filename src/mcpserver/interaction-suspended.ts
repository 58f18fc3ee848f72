// Why the signal of a run aborts although nobody has cancelled anything.
import { brand } from '../types/brand.ts'

/**
 * The reason of the signal of a run that was given up because the client has to answer first. The handler runs again with the
 * answers; nothing is wrong.
 */
export class InteractionSuspended extends Error {
  static {
    brand(this, 'InteractionSuspended')
  }

  constructor() {
    super('This run of the handler has ended: it begins again when the client has answered')
  }
}
