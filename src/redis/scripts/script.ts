// A script of ours. Redis keeps it by its digest; old and new releases have different ones and do not meet.
import { createHash } from 'node:crypto'

export class Script {
  readonly text: string
  readonly digest: string

  constructor(text: string) {
    this.text = text
    this.digest = createHash('sha1').update(text).digest('hex')
  }
}
