// Self-signed certificates with any dates and names, made on the spot: no key lies in the repository.
import { generateKeyPairSync, sign } from 'node:crypto'

export interface CertificateOptions {
  readonly host: string
  readonly from: Date
  readonly until: Date
}

/** A key and a certificate for it, as PEM. */
export function createCertificate({ host, from, until }: CertificateOptions): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(set(sequence(COMMON_NAME, tag(0x0c, Buffer.from(host)))))
  const body = sequence(
    tag(0xa0, integer(2)),
    integer(1),
    sequence(ECDSA_WITH_SHA256),
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(sequence(SUBJECT_ALT_NAME, tag(0x04, sequence(tag(0x82, Buffer.from(host))))))),
  )
  const signature = sign('sha256', body, privateKey)
  const certificate = sequence(
    body,
    sequence(ECDSA_WITH_SHA256),
    tag(0x03, Buffer.concat([Buffer.from([0]), signature])),
  )
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

const COMMON_NAME = Buffer.from('0603550403', 'hex')
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex')
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex')

/** X.690: a type, the length of what follows, and that. */
function tag(type: number, content: Buffer): Buffer {
  const { length } = content
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([type, ...head]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts))
}

function set(...parts: Buffer[]): Buffer {
  return tag(0x31, Buffer.concat(parts))
}

function integer(value: number): Buffer {
  return tag(0x02, Buffer.from([value]))
}

function time(date: Date): Buffer {
  return tag(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`))
}
