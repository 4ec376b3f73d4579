import fc from 'fast-check'

const PIECES =
  'a B / // . .. %2e %2f %5c %3b ;x \\ %252e %25 %20 ? %3f %23 %2525 %25252f %C3%9F %25C3%25A9 %E2%82%AC %c3 %0a %C2%85 %E2%80%A8 ab %2e%2e /%2E %2F %252f %25u002e +'
/** Any path made of what applications read in more than one way. */
export const trickyPath = fc
  .array(fc.constantFrom(...PIECES.split(' ')), { maxLength: 8 })
  .map((pieces) => `/${pieces.join('')}`)
  .filter((path) => !/%(?![0-9a-f]{2})/i.test(path))
