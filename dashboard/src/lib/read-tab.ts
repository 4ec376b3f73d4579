/** The open tab in the address of a page with these tabs. */
export const readTab =
  <Name extends string>(names: readonly Name[]) =>
  ({ tab }: Record<string, unknown>): { tab?: Name } => {
    const name = names.find((each) => each === tab)
    return name === undefined ? {} : { tab: name }
  }
