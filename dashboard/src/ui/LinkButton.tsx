import { Anchor, Button, type AnchorProps, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type Native = Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps | keyof AnchorProps>

const AnchorButton = (props: Native & ButtonProps) => <Button component="a" {...props} />
const PlainAnchor = (props: Native & AnchorProps) => <Anchor {...props} />

/** Links within the signed-in part: typed by the router, preloaded, without a page load. */
export const LinkButton = createLink(AnchorButton)
export const TextLink = createLink(PlainAnchor)
