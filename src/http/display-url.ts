// URLs in messages. Apart from `failures.ts`, which is loaded with what sends requests.

/** A URL for messages, without its query and user, which may be secrets. */
export function displayUrl(url: string): string {
  if (!URL.canParse(url)) return 'an invalid URL'
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
