import { initials } from '../lib/initials.ts'
import classes from './ApplicationLogo.module.css'

type Props = { name: string; logoUrl: string | null; size?: number }

/** The logo of an application, or its initial. For decoration only: the name is in a text beside it. */
export function ApplicationLogo({ name, logoUrl, size = 40 }: Props) {
  const square = { width: size, height: size }
  if (logoUrl !== null) return <img src={logoUrl} alt="" className={classes.logo} {...square} />
  return (
    <span aria-hidden className={`${classes.logo} ${classes.initial}`} style={{ ...square, fontSize: size * 0.45 }}>
      {initials(name, 1)}
    </span>
  )
}
