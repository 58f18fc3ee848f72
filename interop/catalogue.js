// The features of every server in the matrix: names and contents that the checks rely on.

/** One red pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
/** A WAV file without a sample. */
export const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

export const PLAIN = 'Plain text, with ünïcödé and 漢字 and 🙂.'
export const BYTES = 'AAECA/8='
export const EMBEDDED = { uri: 'note://embedded', mimeType: 'text/plain', text: 'An embedded note.' }

export const TOOLS = [
  'add',
  'ask',
  'big',
  'count',
  'echo',
  'embedded',
  'fail',
  'grow',
  'picture',
  'shout',
  'slow',
  'sound',
  'stopped',
  'think',
  'touch',
  'visit',
  'wait',
  'where',
]
export const RESOURCES = ['note://bytes', 'note://plain', 'note://watched']
export const TEMPLATE = 'note://item/{id}'
export const NAMES = ['Ada', 'Alan', 'Grace']
export const PAGE = 'https://example.com/visit'

export const completeName = (value) => NAMES.filter((name) => name.startsWith(value))
export const item = (id) => `Item ${id}`
export const greeting = (name) => `Please greet ${name}.`
export const big = (bytes) => 'é'.repeat(bytes / 2)

/** The form that `ask` sends, as JSON Schema. */
export const NAME_FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
export const QUESTION = {
  messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
  maxTokens: 50,
}
