/** Whether a dialog is in front: then the screen's own shortcuts must wait. */
export function dialogInFront(): boolean {
  return document.querySelector('[role="dialog"]') !== null
}
