"""How a page's scripts hand a file to the visitor, once the browser has all of it."""

# What is handed out is read after the click; for how long, no browser says.
HAND_OUT = """function handOut(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}"""
