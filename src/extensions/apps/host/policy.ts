// The Content-Security-Policy and the permissions of a view, made of what its server declared and never of more.
import { ownMember } from '../../../primitives/json/objects.ts'
import type { ViewPermissions, ViewPolicy } from '../../../types/extensions/apps.ts'
import { POLICY_LISTS, type PolicyList, usableDomains } from '../rules/domains.ts'

/**
 * The `Content-Security-Policy` of a view. Without a policy the view has its own inline scripts and styles and `data:` images,
 * and reaches nothing. Declared domains are added; what is not a domain is left out, so that a server can't add a directive.
 */
export function policyOf(csp?: ViewPolicy): string {
  const connect = usableDomains(csp, 'connectDomains')
  const resources = usableDomains(csp, 'resourceDomains')
  return [
    ["default-src 'none'"],
    ['script-src', "'unsafe-inline'", ...resources],
    ['style-src', "'unsafe-inline'", ...resources],
    ['img-src', 'data:', ...resources],
    ['media-src', 'data:', ...resources],
    ['font-src', ...orNone(resources)],
    ['connect-src', ...orNone(connect)],
    ['frame-src', ...orNone(usableDomains(csp, 'frameDomains'))],
    ['base-uri', ...orNone(usableDomains(csp, 'baseUriDomains'))],
    ["object-src 'none'"],
    ["worker-src 'none'"],
    ["form-action 'none'"],
  ]
    .map((directive) => directive.join(' '))
    .join('; ')
}

/**
 * The `Connection-Allowlist` of a view: the declared domains and its own origin. It stops what a policy knows nothing of, such as
 * peer connections of WebRTC and lookups of names. Redirects are followed, because the policy is asked about where they lead.
 */
export function allowlistOf(csp?: ViewPolicy): string {
  const domains = new Set(POLICY_LISTS.flatMap((list) => usableDomains(csp, list)))
  const patterns = [...domains].map((domain) => `"${toPattern(domain)}/*"`)
  return `(${['response-origin', ...patterns].join(' ')});redirects=allow;webrtc=block`
}

/** Colons of an IPv6 address would begin a group of the pattern. */
function toPattern(domain: string): string {
  return domain.replace(/\[.*\]/, (address) => address.replaceAll(':', '\\\\:'))
}

function orNone(domains: readonly string[]): readonly string[] {
  return domains.length === 0 ? ["'none'"] : domains
}

/** The policy with its usable domains alone, as a host tells a view what was granted. */
export function grantedPolicy(csp: ViewPolicy | undefined): ViewPolicy {
  const granted: { [List in PolicyList]?: string[] } = {}
  for (const list of POLICY_LISTS) {
    const domains = usableDomains(csp, list)
    if (domains.length > 0) granted[list] = domains
  }
  return granted
}

/** The permissions that there are, by the name of their feature in the browser. */
export const FEATURES: Readonly<Record<keyof ViewPermissions, string>> = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
}

/** The `allow` attribute of a view's frame. Without permissions it is empty, and grants nothing. */
export function allowOf(permissions?: ViewPermissions): string {
  return Object.entries(FEATURES)
    .filter(([name]) => isGiven(ownMember(permissions, name)))
    .map(([, feature]) => feature)
    .join('; ')
}

/** A permission is asked for by an empty object. */
function isGiven(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** The permissions that `allowOf` knows, as a host tells a view what was granted. */
export function grantedPermissions(permissions: ViewPermissions | undefined): ViewPermissions {
  const granted: ViewPermissions = {}
  for (const name of Object.keys(FEATURES) as (keyof ViewPermissions)[]) {
    if (isGiven(ownMember(permissions, name))) granted[name] = {}
  }
  return granted
}
