// The answers of every client in the matrix to questions of its server.

export const ANSWERS = {
  form: { action: 'accept', content: { name: 'Ada' } },
  visit: { action: 'accept' },
  sample: { role: 'assistant', model: 'none', stopReason: 'endTurn', content: { type: 'text', text: 'Paris' } },
}

export const answerElicitation = ({ mode }) => (mode === 'url' ? ANSWERS.visit : ANSWERS.form)

export const rootsAt = (uri) => ({ roots: [{ uri, name: 'work' }] })
