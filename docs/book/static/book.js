// What the theme leaves out for readers with a keyboard or a screen reader.
document.addEventListener("DOMContentLoaded", () => {
  for (const caption of document.querySelectorAll('.caption[role="heading"]')) {
    caption.setAttribute("aria-level", "2");
  }
  for (const block of document.querySelectorAll("pre, .output, .table-wrapper")) {
    if (block.scrollWidth > block.clientWidth) {
      block.setAttribute("tabindex", "0");
    }
  }
});
