// The address that a server of 2024-11-05 names for our messages: checked before anything is sent there.
import { TransportError } from '../../types/failures.ts'

const MAX_LENGTH = 8_192

/**
 * The endpoint as a URL, relative to that of the stream. Throws `TransportError` where it leads to another origin: messages and
 * tokens are for the server we chose.
 */
export function resolveEndpoint(text: string, stream: URL): string {
  if (text === '' || text.length > MAX_LENGTH || !URL.canParse(text, stream.href)) {
    throw refusal(stream, 'it is no URL')
  }
  const endpoint = new URL(text, stream)
  if (endpoint.origin !== stream.origin) throw refusal(stream, 'it is of another origin')
  if (endpoint.username !== '' || endpoint.password !== '') throw refusal(stream, 'it holds credentials')
  endpoint.hash = ''
  return endpoint.href
}

function refusal(stream: URL, reason: string): TransportError {
  return new TransportError(`Refused the endpoint that ${stream.origin} named for messages: ${reason}`)
}
