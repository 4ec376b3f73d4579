import { Type } from 'typebox'

/** A name as a person writes it: no control characters, and something besides white space. */
export const PersonName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: String.raw`^[^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*$`,
})
