import { Fragment } from 'react'

/** Where a reader expects a break: after the signs between the words of an address. */
const PARTS = /[^@.\-_/:]*[@.\-_/:]+|[^@.\-_/:]+/g

/** An email address or another long name that breaks between its words, where it has to. */
export const BreakingName = ({ name }: { name: string }) =>
  (name.match(PARTS) ?? []).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ))
