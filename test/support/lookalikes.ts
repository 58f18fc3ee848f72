// Pairs of JSON values that are two although they look alike once somebody makes text of them without care.
export const LOOKALIKES: readonly (readonly [unknown, unknown])[] = [
  [1, '1'],
  [0.1, '0.1'],
  [true, 'true'],
  [null, 'null'],
  [[], '[]'],
  [{}, '{}'],
  [{}, []],
  [{ a: 1 }, '{"a":1}'],
  [
    ['a', 'b'],
    ['a,b', ''],
  ],
  [['a,b'], ['a', 'b']],
  [['"'], ['\\"']],
  [{ '1': 'a' }, ['', 'a']],
]
