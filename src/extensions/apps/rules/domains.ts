// The domains in the policy of a view: which texts are one, and how each of them is named.

import { ownMember } from '../../../primitives/json/objects.ts'
import { quoteShort } from '../../../primitives/quote.ts'
import type { ViewPolicy } from '../../../types/extensions/apps.ts'

/** The lists of a policy. */
export const POLICY_LISTS = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const

export type PolicyList = (typeof POLICY_LISTS)[number]

/** No policy needs more, and headers have limits. */
const MAX_DOMAINS = 64
const MAX_LENGTH = 253 + 'https://*.:65535'.length

/** Scheme, host and port, and nothing else: no path, no quote, no space, no `;`, nothing that could begin another directive. */
const DOMAIN =
  /^(https?|wss?):\/\/((?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** The domain in lower case, or what is wrong with it. */
export type DomainReading = { readonly domain: string } | { readonly problem: string }

/**
 * Reads one domain. Only WebSockets of `connectDomains` may use `wss:`, and only this machine may be reached without encryption.
 * A wildcard stands for the first label alone, of a name that has two more: `https://*.com` would be half of the web.
 */
export function readDomain(given: unknown, list: PolicyList): DomainReading {
  if (typeof given !== 'string') return { problem: 'it is not a string' }
  if (given.length > MAX_LENGTH) return { problem: `it is longer than ${MAX_LENGTH} characters` }
  const domain = given.toLowerCase()
  const match = DOMAIN.exec(domain)
  if (match === null) return { problem: 'it is not of the form https://host or https://*.host, with a port if needed' }
  const [, scheme = '', host = '', port] = match
  if (port !== undefined && (Number(port) === 0 || Number(port) > 65_535)) return { problem: 'its port does not exist' }
  if (scheme.startsWith('ws') && list !== 'connectDomains')
    return { problem: `only connectDomains can have ${scheme}:` }
  if ((scheme === 'http' || scheme === 'ws') && !LOOPBACK.test(host)) return { problem: `${scheme}: is not encrypted` }
  if (host.startsWith('*.') && !host.slice(2).includes('.')) return { problem: 'its wildcard stands for too much' }
  return { domain }
}

/** The first domain of the policy that can't be used, as a sentence without its subject; `undefined` where all can. */
export function findPolicyProblem(policy: ViewPolicy): string | undefined {
  for (const list of POLICY_LISTS) {
    const domains: unknown = policy[list]
    if (domains === undefined) continue
    if (!Array.isArray(domains)) return `csp.${list} is not a list`
    if (domains.length > MAX_DOMAINS) return `csp.${list} has ${domains.length} domains, ${MAX_DOMAINS} is the limit`
    for (const domain of domains) {
      const reading = readDomain(domain, list)
      if ('problem' in reading) return `csp.${list} has ${quoteShort(domain)}, which can't be used: ${reading.problem}`
    }
  }
  return undefined
}

/** The usable domains of a list, each once. A policy from a server may be anything: what is no domain is left out. */
export function usableDomains(policy: unknown, list: PolicyList): string[] {
  const domains = ownMember(policy, list)
  if (!Array.isArray(domains)) return []
  const usable = new Set<string>()
  for (let i = 0; i < domains.length && i < MAX_DOMAINS; i += 1) {
    const reading = readDomain(domains[i], list)
    if ('domain' in reading) usable.add(reading.domain)
  }
  return [...usable]
}
