// Name lookup that gives only addresses somebody has allowed, so that what was checked is what is connected to.
import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { TransportError } from '../types/failures.ts'

type AllowsAddress = (address: string) => boolean

/** For the options of one connection. An address is never looked up, and is checked at once: throws `TransportError`. */
export function guardLookup(hostname: string, allows: AllowsAddress): LookupFunction {
  if (isIP(hostname) !== 0 && !allows(hostname)) throw refusal(hostname)
  return (name, options, callback) => {
    lookup(name, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, [])
        return
      }
      const allowed = found.filter(({ address }) => allows(address))
      const [first] = allowed
      if (first === undefined) callback(refusal(name), [])
      else if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

function refusal(hostname: string): TransportError {
  return new TransportError(`Refused to connect to ${hostname}: it has no address that is allowed for this request`)
}
