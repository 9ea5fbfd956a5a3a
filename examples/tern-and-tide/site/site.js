// Cookie banner and menu. Nothing leaves this page: the choice is kept in the browser only.
(function () {
  var banner = document.querySelector(".cookie");
  var store = { get: function () { try { return localStorage.getItem("tt-cookie"); } catch (e) { return null; } },
                set: function (v) { try { localStorage.setItem("tt-cookie", v); } catch (e) { /* private window */ } } };
  if (banner) {
    banner.hidden = store.get() !== null;
    banner.querySelectorAll("button").forEach(function (b) {
      b.addEventListener("click", function () { store.set(b.value); banner.hidden = true; });
    });
  }
  var button = document.querySelector(".menu-button");
  var menu = document.querySelector(".mega");
  if (button && menu) {
    button.addEventListener("click", function () {
      var open = menu.classList.toggle("open");
      button.setAttribute("aria-expanded", String(open));
    });
  }
  document.querySelectorAll("form[data-demo]").forEach(function (f) {
    f.addEventListener("submit", function (e) { e.preventDefault(); f.querySelector("output").textContent = f.dataset.demo; });
  });
})();
